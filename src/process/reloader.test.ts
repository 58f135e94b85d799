import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, SettingsError } from '../gateway/settings.ts';
import type { LoadedSettings } from './load-settings.ts';
import { Reloader } from './reloader.ts';

const environment = { WEIR_PIPELINE: 'exact-cache' };
const loaded = {
  environment: {},
  settings: readSettings({}),
  locate: (fault: string) => fault,
} as LoadedSettings;

function reloaderThat(fails: (tries: number) => Error | undefined) {
  let tries = 0;
  const reloader = new Reloader({
    loaded,
    log: { info: () => undefined, error: () => undefined },
    pauseMs: 1,
    load: async () => ({ ...loaded, environment }),
    apply: async () => {
      const failure = fails(++tries);
      if (failure !== undefined) throw failure;
    },
  });
  return { reloader, tries: () => tries };
}

test('a reload that a busy database has stopped is tried again', async () => {
  const { reloader, tries } = reloaderThat((at) => (at < 3 ? new Error('the database is busy') : undefined));
  assert.deepEqual((await reloader.reload('file')).changed, ['pipeline']);
  assert.equal(tries(), 3);
});

test('wrong settings are not tried again, and a failure that stays is reported', async () => {
  const wrong = reloaderThat(() => new SettingsError(['WEIR_PIPELINE: wrong']));
  await assert.rejects(wrong.reloader.reload('file'), { message: 'WEIR_PIPELINE: wrong' });
  assert.equal(wrong.tries(), 1);
  const busy = reloaderThat(() => new Error('the database is busy'));
  await assert.rejects(busy.reloader.reload('file'), { message: /busy/ });
  assert.equal(busy.tries(), 4);
  assert.equal(busy.reloader.loaded.environment, loaded.environment);
});
