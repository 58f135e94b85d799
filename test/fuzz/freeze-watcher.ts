// The thread of FreezeWatch.
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

let doing = 'nothing';
let frozen = setTimeout(end, workerData);

parentPort?.on('message', (message: string) => {
  if (message !== 'turn') doing = message;
  clearTimeout(frozen);
  frozen = setTimeout(end, workerData);
});

function end(): void {
  writeSync(1, `FAIL the event loop hasn't turned for ${workerData / 1000} s: ${doing}\n`);
  process.kill(process.pid, 'SIGKILL');
}
