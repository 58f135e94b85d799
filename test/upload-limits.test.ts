import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Environment } from '../src/gateway/settings.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { at } from './support/at.ts';
import { call, type OpenCall, type RawAnswer, readAnswer, startCall } from './support/call.ts';
import { bearer, type CreatedKey, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';

const paths = ['/v1/audio/transcriptions', '/v1/images/edits', '/v1/files'] as const;
const provider = ['x-provider-key', 'openai=sk-proj-of-the-test'];
const hello = { model: 'demo-1', messages: [{ role: 'user', content: 'hi' }] };
const part = (name: string, more = '') =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
const fileStart = part('file', '; filename="x.mp3"');
const ending = `\r\n${part('model')}whisper-1\r\n--b--\r\n`;

/** Somebody with a key, who uploads files. */
class Uploader {
  readonly person: Person;
  readonly made: CreatedKey;
  readonly metrics: () => string;
  readonly fake: FakeUpstream;

  private constructor(parts: Pick<Uploader, 'person' | 'made' | 'metrics' | 'fake'>) {
    this.person = parts.person;
    this.made = parts.made;
    this.metrics = parts.metrics;
    this.fake = parts.fake;
  }

  static async start(t: TestContext, more: Environment = {}): Promise<Uploader> {
    const fake = await FakeUpstream.start({ body: { text: 'hello' } });
    t.after(() => fake.close());
    const { url, gateway } = await startCloud(t, { WEIR_OPENAI_BASE_URL: `${fake.url}/v1`, ...more });
    const person = await Person.signUp(url);
    return new Uploader({ person, made: await person.makeKey(), metrics: () => gateway.metrics(), fake });
  }

  async limit(body: object): Promise<void> {
    const path = `/v1/keys/${this.made.id}/limits`;
    const set = await this.person.call({ method: 'PUT', path, body });
    assert.equal(set.status, 200, set.text);
  }

  async say(): Promise<RawAnswer> {
    const path = '/v1/chat/completions';
    return call(this.person.url, { path, headers: bearer(this.made.key), body: hello });
  }

  /** Sends the beginning of a form with 2 MB of its file. */
  begin(path: string, beginning = fileStart, headers: readonly string[] = []): OpenCall {
    const sending = startCall(this.person.url, {
      ...{ method: 'POST', path },
      headers: [
        ...[...bearer(this.made.key), ...provider, ...headers],
        ...['content-type', 'multipart/form-data; boundary=b'],
      ],
    });
    sending.request.on('error', () => undefined);
    sending.request.write(beginning);
    sending.request.write(Buffer.alloc(2_000_000, 'x'));
    return sending;
  }

  /** Begins an upload that is refused before it has ended, and leaves nothing on disk. */
  async refused(path: string): Promise<RawAnswer> {
    const { request, response } = this.begin(path);
    let isAnswered = false;
    void response.then(() => {
      isAnswered = true;
    });
    await eventually(() => (isAnswered || this.#isOnDisk() ? true : undefined));
    assert.ok(isAnswered, 'the file is on disk');
    const answer = await readAnswer(await response);
    assert.match(this.metrics(), /^weir_form_disk_bytes 0$/m);
    request.destroy();
    return answer;
  }

  async assertOnDisk(): Promise<void> {
    await eventually(() => (this.#isOnDisk() ? true : undefined));
  }

  #isOnDisk(): boolean {
    return /^weir_form_disk_bytes [1-9]/m.test(this.metrics());
  }
}

function codeOf({ status, json }: RawAnswer): unknown {
  return [status, at(json, 'error', 'code')];
}

describe('an upload fills no disk', () => {
  for (const path of paths) {
    test(`of a caller without quota, at ${path}`, async (t) => {
      const ann = await Uploader.start(t, { WEIR_TIER_FREE_LIMIT: '1' });
      assert.equal((await ann.say()).status, 200);
      assert.deepEqual(codeOf(await ann.refused(path)), [429, 'tier_cap_reached']);
      const log = await ann.person.call({ path: '/v1/requests?limit=1' });
      assert.equal(at(log.json, 'requests', 0, 'status'), 429);
    });

    for (const limits of [{ requests_per_minute: 1 }, { tokens_per_minute: 1 }])
      test(`above ${Object.keys(limits)}, at ${path}`, async (t) => {
        const ann = await Uploader.start(t);
        assert.equal((await ann.say()).status, 200);
        await ann.limit({ requests_per_minute: 2 });
        assert.equal((await ann.say()).status, 200);
        await ann.limit(limits);
        const used = await ann.say();
        assert.ok(used.status === 200 || used.status === 429);
        const answer = await ann.refused(path);
        assert.deepEqual(codeOf(answer), [429, 'rate_limited']);
        assert.ok(Number(answer.headers['retry-after']) > 0);
        const log = await ann.person.call({ path: '/v1/requests?limit=1' });
        assert.equal(at(log.json, 'requests', 0, 'error_code'), 'rate_limited');
        assert.equal(ann.fake.requests.length, 0);
      });
  }

  test('while another of the same key is under way that may have one call in flight', async (t) => {
    const ann = await Uploader.start(t);
    await ann.limit({ concurrent: 1 });
    const { request, response } = ann.begin('/v1/audio/transcriptions');
    await ann.assertOnDisk();
    const second = ann.begin('/v1/audio/transcriptions');
    assert.deepEqual(codeOf(await readAnswer(await second.response)), [429, 'rate_limited']);
    second.request.destroy();
    request.end(ending);
    const answer = await readAnswer(await response);
    assert.equal(answer.status, 200, answer.text);
    // The slot is free again, also after an upload that is given up.
    const third = ann.begin('/v1/audio/transcriptions');
    await ann.assertOnDisk();
    third.request.destroy();
    await eventually(async () => ((await ann.say()).status === 200 ? true : undefined));
  });
});

describe('an upload', () => {
  test('counts once, wherever its model stands', async (t) => {
    const ann = await Uploader.start(t, { WEIR_TIER_FREE_LIMIT: '4' });
    await ann.limit({ requests_per_minute: 4 });
    for (const beginning of [fileStart, `${part('model')}whisper-1\r\n${fileStart}`]) {
      const { request, response } = ann.begin('/v1/audio/transcriptions', beginning);
      request.end(beginning === fileStart ? ending : '\r\n--b--\r\n');
      const answer = await readAnswer(await response);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['x-ratelimit-remaining-requests'], beginning === fileStart ? '3' : '2');
    }
    assert.equal((await ann.say()).status, 200);
    assert.equal((await ann.say()).status, 200);
    assert.equal((await ann.say()).status, 429);
  });

  test('that a module reads as a whole is not held up by its own quota', async (t) => {
    const ann = await Uploader.start(t, { WEIR_TIER_FREE_LIMIT: '1' });
    await ann.limit({ requests_per_minute: 1 });
    const headers = ['x-weir-pipeline', 'guardrails?media=report'];
    const beginning = `${part('model')}whisper-1\r\n${fileStart}`;
    const { request, response } = ann.begin('/v1/audio/transcriptions', beginning, headers);
    request.end('\r\n--b--\r\n');
    const answer = await readAnswer(await response);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(ann.fake.requests.length, 1);
  });
});
