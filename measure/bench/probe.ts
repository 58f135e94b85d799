/** Preloaded into every process under test: tells what it has used, and ends the process when the benchmark is gone. */
process.on('message', (message: unknown) => {
  if (typeof message !== 'object' || message === null || !('kind' in message) || message.kind !== 'usage')
    return;
  // Collecting first leaves only what is still held; it needs --expose-gc and is wrong where CPU time is measured.
  if ('collect' in message && message.collect === true) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  process.send?.({
    kind: 'usage',
    cpuMicros: user + system,
    rssBytes: rss,
    heapBytes: heapUsed + arrayBuffers,
  });
});
process.once('disconnect', () => process.exit());
