import { createReadStream } from 'node:fs';
import { Mover } from '../../src/gateway/mover.ts';
import { openDatabase } from '../../src/gateway/parts/stores.ts';
import { RootSecrets } from '../../src/gateway/secrets.ts';
import { readSettings } from '../../src/gateway/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';

// An import that kills itself: killed-import.ts <file> <data folder> byte|part <number>
const [file = '', dataDir = '', phase = '', number = '0'] = process.argv.slice(2);
const killAt = Number(number);
const settings = readSettings({ WEIR_DATA_DIR: dataDir });
const database = await openDatabase(settings);
const mover = new Mover({
  ...{ settings, database, roots: new RootSecrets(settings), modules: new Map(), clock: systemClock },
  renew: async () => undefined,
});

/** The file, up to the byte at which it kills this process. */
async function* readUntil(byte: number): AsyncIterable<Uint8Array> {
  let read = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 4096 })) {
    if (!(chunk instanceof Uint8Array)) continue;
    if (read + chunk.byteLength > byte) {
      yield chunk.subarray(0, byte - read);
      process.kill(process.pid, 'SIGKILL');
    }
    read += chunk.byteLength;
    yield chunk;
  }
}

let parts = 0;
await mover.import(readUntil(phase === 'byte' ? killAt : Number.POSITIVE_INFINITY), {
  ...{ accountId: 'local', sections: undefined, passphrase: undefined },
  ...{ isDryRun: false, replaces: false },
  onFinish() {
    if (phase === 'part' && parts++ === killAt) process.kill(process.pid, 'SIGKILL');
  },
});
