/** Returns a counter that says whether a call at `time` exceeds `most` calls per `length` milliseconds. */
export function createRateLimit(most: number, length: number): (time: number) => boolean {
  let start = 0
  let count = 0
  return (time) => {
    // A clock that was put back begins anew, too.
    if (Math.abs(time - start) >= length) {
      start = time
      count = 0
    }
    count += 1
    return count > most
  }
}
