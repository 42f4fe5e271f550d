/** A time as ping writes it, `Mon Mar 10 10:12:18 UTC 2025` (contract.md, "Common to the three components"). */
export function pingDate(time: Date): string {
  const [weekday = '', day, month, year, clock] = time.toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${day} ${clock} UTC ${year}`
}
