/** Preloaded into each server's process: tells its CPU, in microseconds, when asked, and goes with the bench. */
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
