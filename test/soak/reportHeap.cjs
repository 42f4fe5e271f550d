// Loaded into a program that is measured: it answers each message with the bytes that are in use after a collection.
process.on('message', () => {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.send({ bytes: heapUsed + external })
})
process.channel.unref()
