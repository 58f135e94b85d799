import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../lib/json.ts';
import { anthropicMessages, openaiChat } from '../../wire/index.ts';
import { ClientRequest } from '../client-request.ts';
import { GatewayError } from '../errors.ts';
import { LazyJsonObject } from '../json/lazy-json-object.ts';
import type { Answer, ReplyEvent } from '../message.ts';
import type { Ending } from './ending.ts';
import type { ProviderResponse } from './provider-response.ts';
import { packRecording, type Recording, unpackRecording } from './recording.ts';
import { Reply } from './reply.ts';
import type { Source } from './source.ts';

const answer: Answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [
    { type: 'text', text: 'Hello' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'sky' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 5 },
};

const asked = new ClientRequest({
  wire: anthropicMessages,
  fields: LazyJsonObject.of(Buffer.from('{}')),
  headers: [],
  query: '',
});

interface CountingSource extends Source<Uint8Array> {
  cancelled: boolean;
  pulled: number;
}

function source(chunks: readonly (string | Error)[]): CountingSource {
  const left = [...chunks];
  return {
    cancelled: false,
    pulled: 0,
    async next() {
      this.pulled++;
      const chunk = left.shift();
      if (chunk instanceof Error) throw chunk;
      return chunk === undefined ? undefined : Buffer.from(chunk);
    },
    cancel() {
      this.cancelled = true;
    },
  };
}

async function sseOf(reply: Reply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.bytes(anthropicMessages, 'sse', asked)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function relay(
  body: Source<Uint8Array>,
  framing: ProviderResponse['framing'] = 'sse',
): { reply: Reply; endings: Ending[] } {
  const reply = Reply.relay({ wire: anthropicMessages, framing, status: 200, headers: [], body });
  const endings: Ending[] = [];
  reply.onEnd((ending) => void endings.push(ending));
  return { reply, endings };
}

const streamText = await sseOf(Reply.of(answer));

describe('a relayed reply', () => {
  test('passes the bytes it was given, watched or not', async () => {
    const odd = streamText.replace('data: ', 'data:  ').replaceAll('\n', '\r\n');
    for (const tapped of [false, true]) {
      const { reply, endings } = relay(source([odd.slice(0, 40), odd.slice(40)]));
      const seen: string[] = [];
      if (tapped) reply.tap((event) => void seen.push(event.type));
      assert.equal(await sseOf(reply), odd);
      assert.deepEqual(endings, [{ how: 'complete' }]);
      if (tapped) assert.equal(seen.at(-1), 'message_stop');
    }
  });

  test('is decoded only when somebody looks', async () => {
    const { reply, endings } = relay(source(['not', ' sse at all']));
    assert.equal(await sseOf(reply), 'not sse at all');
    assert.deepEqual(endings, [{ how: 'complete' }]);
  });

  test('that a client leaves before its first byte still ends, once, and stops its provider', async () => {
    const body = source([streamText]);
    const { reply, endings } = relay(body);
    const iterator = reply.bytes(anthropicMessages, 'sse', asked)[Symbol.asyncIterator]();
    await iterator.return?.();
    await iterator.return?.();
    await reply.discard();
    assert.deepEqual(endings, [{ how: 'aborted' }]);
    assert.ok(body.cancelled);
    assert.equal(body.pulled, 0);
  });

  test('that breaks in the middle ends as failed, and says why', async () => {
    const broken = new GatewayError('upstream_broken', 'cut');
    const body = source([streamText.slice(0, 100), broken]);
    const { reply, endings } = relay(body);
    await assert.rejects(sseOf(reply), broken);
    assert.deepEqual(endings, [{ how: 'failed', error: broken }]);
  });

  test('that ends before its last event is broken, not complete', async () => {
    const { reply, endings } = relay(
      source([streamText.slice(0, streamText.indexOf('event: message_delta'))]),
    );
    reply.tap(() => undefined, 'milestones');
    await assert.rejects(sseOf(reply), (error) => GatewayError.is(error) && error.code === 'upstream_broken');
    assert.equal(endings[0]?.how, 'failed');
  });

  test('that carries an error event ends as failed, with its bytes intact', async () => {
    const text = `${streamText.slice(0, streamText.indexOf('event: message_delta'))}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n`;
    const { reply, endings } = relay(source([text]));
    reply.tap(() => undefined, 'milestones');
    assert.equal(await sseOf(reply), text);
    assert.equal(endings[0]?.how, 'failed');
  });

  test('can be read once only', async () => {
    const { reply } = relay(source([streamText]));
    await sseOf(reply);
    assert.throws(() => reply.bytes(anthropicMessages, 'sse', asked), /already read/);
  });
});

describe('watching', () => {
  test('is not changing: tap and onEnd give the same object back', () => {
    const reply = Reply.of(answer);
    assert.equal(
      reply.tap(() => undefined),
      reply,
    );
    assert.equal(
      reply.onEnd(() => undefined),
      reply,
    );
    assert.equal(
      reply.record(10, () => undefined),
      reply,
    );
  });

  test('cannot harm the answer', async () => {
    const { reply } = relay(source([streamText]));
    reply.tap(() => {
      throw new Error('clumsy');
    });
    reply.onEnd(() => {
      throw new Error('clumsier');
    });
    assert.equal(await sseOf(reply), streamText);
    assert.ok(reply.faults.length > 1);
  });

  test('what waits at the end is waited for before the last byte is confirmed', async () => {
    const { reply } = relay(source([streamText]));
    let stored = false;
    reply.onEnd(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      stored = true;
    });
    await sseOf(reply);
    assert.ok(stored);
  });
});

describe('changing', () => {
  const shout = (event: ReplyEvent): ReplyEvent =>
    event.type === 'content_block_delta' && event.delta.type === 'text_delta'
      ? { ...event, delta: { type: 'text_delta', text: event.delta.text.toUpperCase() } }
      : event;

  test('map rewrites event by event, for streams and for whole answers alike', async () => {
    const { reply, endings } = relay(source([streamText]));
    const whole = await reply.map(shout).answer();
    assert.deepEqual(whole.content[0], { type: 'text', text: 'HELLO' });
    assert.deepEqual(endings, [{ how: 'complete' }]);
    assert.match(await sseOf(Reply.of(answer).map(shout)), /HELLO/);
  });

  test('giving up a mapped reply gives up the one below it', async () => {
    const body = source([streamText]);
    const { reply, endings } = relay(body);
    const mapped = reply.map(shout);
    assert.ok(mapped.derivesFrom(reply));
    await mapped.discard();
    assert.ok(body.cancelled);
    assert.deepEqual(endings, [{ how: 'aborted' }]);
  });

  test('an answer held back whole is the answer that was streamed', async () => {
    assert.deepEqual(await relay(source([streamText])).reply.answer(), answer);
    assert.deepEqual(await relay(source([JSON.stringify(answer)]), 'json').reply.answer(), answer);
  });
});

describe('a reply whose usage was asked for', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
  const chunk = (fields: object) => `data: ${JSON.stringify({ id: '1', ...fields })}\n\n`;
  const word = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
  const stream = [chunk({ ...word, usage: null }), chunk({ choices: [], usage }), 'data: [DONE]\n\n'].join(
    '',
  );
  const unasked = `${chunk(word)}data: [DONE]\n\n`;
  const raw = (chunks: readonly (string | Error)[]): ProviderResponse => ({
    wire: openaiChat,
    framing: 'sse',
    status: 200,
    headers: [],
    body: source(chunks),
    usageRequested: true,
  });

  async function read(reply: Reply, body: JsonObject): Promise<{ text: string; output: unknown }> {
    let output: unknown;
    reply.tap((event) => {
      if (event.type === 'message_delta') output = event.usage?.output_tokens;
    }, 'milestones');
    const fields = LazyJsonObject.of(Buffer.from(JSON.stringify(body)));
    const client = new ClientRequest({ wire: openaiChat, fields, headers: [], query: '' });
    const chunks: Uint8Array[] = [];
    for await (const piece of reply.bytes(openaiChat, 'sse', client)) chunks.push(piece);
    return { text: Buffer.concat(chunks).toString(), output };
  }

  test('shows it to those who look, and to the client only if that asked for it too', async () => {
    for (const cut of [[stream], [...stream]]) {
      assert.deepEqual(await read(Reply.relay(raw(cut)), {}), { text: unasked, output: 2 });
      const asking = { stream_options: { include_usage: true } };
      assert.deepEqual(await read(Reply.relay(raw(cut)), asking), { text: stream, output: 2 });
    }
  });

  test('is recorded with it, and replayed without', async () => {
    const reply = Reply.relay(raw([stream]));
    let kept: Recording | undefined;
    reply.record(10_000, (recording) => {
      kept = recording;
    });
    await read(reply, {});
    assert.ok(kept);
    const replayed = Reply.replay(unpackRecording(packRecording(kept)), openaiChat);
    assert.deepEqual(await read(replayed, {}), { text: unasked, output: 2 });
  });

  test('still tells what was said of it when it is cut short', async () => {
    const begun = chunk({ choices: [{ index: 0, delta: { content: 'Hi' } }], usage });
    await assert.rejects(read(Reply.relay(raw([begun])), {}), { code: 'upstream_broken' });
    for (const last of [[], [new Error('cut')]]) {
      const reply = Reply.relay(raw([begun, ...last]));
      const seen: unknown[] = [];
      reply.tap((event) => {
        if (event.type === 'message_delta') seen.push(event.usage?.output_tokens);
      }, 'milestones');
      const bytes = reply.bytes(openaiChat, 'sse', asked);
      await bytes.next();
      if (last.length > 0) await assert.rejects(bytes.next(), /cut/);
      else await bytes.return();
      assert.deepEqual(seen, [2]);
    }
  });
});

describe('recording', () => {
  async function record(reply: Reply, bytesMax = 10_000): Promise<Recording | undefined> {
    let recording: Recording | undefined;
    reply.record(bytesMax, (kept) => {
      recording = kept;
    });
    await sseOf(reply).catch(() => undefined);
    return recording;
  }
  const replayed = (recording: Recording) =>
    Reply.replay(
      unpackRecording(packRecording(recording)),
      recording.wire === '' ? undefined : anthropicMessages,
    );

  test('replays the very same bytes, and any other framing', async () => {
    const recording = await record(relay(source([streamText.slice(0, 99), streamText.slice(99)])).reply);
    assert.ok(recording);
    assert.equal(await sseOf(replayed(recording)), streamText);
    assert.deepEqual(await replayed(recording).answer(), answer);
  });

  test('shows each replay the same milestones, though only the first is read', async () => {
    const recording = await record(relay(source([streamText])).reply);
    assert.ok(recording);
    let decoders = 0;
    const counting = {
      ...anthropicMessages,
      replyDecoder: (...asked: Parameters<typeof anthropicMessages.replyDecoder>) => {
        decoders++;
        return anthropicMessages.replyDecoder(...asked);
      },
    };
    const watch = async (interest: 'milestones' | 'everything') => {
      const events: ReplyEvent[] = [];
      const reply = Reply.replay(recording, counting).tap((event) => events.push(event), interest);
      for await (const _ of reply.bytes(counting, 'sse', asked));
      return events;
    };
    const first = await watch('milestones');
    assert.ok(first.some((event) => event.type === 'message_delta'));
    assert.deepEqual(await watch('milestones'), first);
    assert.equal(decoders, 1);
    assert.ok((await watch('everything')).length > first.length);
    assert.deepEqual(await watch('milestones'), first);
    assert.equal(decoders, 2);
  });

  test('replays as many events as fit into it', async () => {
    const delta =
      'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n';
    const events = 130_000;
    const body = Buffer.from(`event: content_block_delta\n${delta}`.repeat(events) + streamText);
    const replay = Reply.replay({ wire: 'anthropic-messages', framing: 'sse', body }, anthropicMessages);
    let shown = 0;
    replay.tap(() => shown++);
    for await (const _ of replay.bytes(anthropicMessages, 'sse', asked));
    assert.ok(shown > events);
  });

  test('also works where there are no bytes, only events', async () => {
    const recording = await record(Reply.of(answer));
    assert.ok(recording);
    assert.deepEqual(await replayed(recording).answer(), answer);
  });

  test('remembers that its usage was asked for by the gateway', async () => {
    const { reply } = relay(source([streamText]));
    const recording = await record(reply);
    assert.ok(recording);
    assert.equal('usageAsked' in unpackRecording(packRecording(recording)), false);
    const providerResponse: ProviderResponse = {
      wire: anthropicMessages,
      framing: 'sse',
      status: 200,
      headers: [],
      body: source([streamText]),
    };
    const asking = await record(Reply.relay({ ...providerResponse, usageRequested: true }));
    assert.ok(asking);
    assert.equal(unpackRecording(packRecording(asking)).usageRequested, true);
    assert.equal(await sseOf(replayed(asking)), streamText);
  });

  test('keeps nothing that is too large or did not complete', async () => {
    assert.equal(await record(relay(source([streamText])).reply, 50), undefined);
    assert.equal(await record(relay(source([streamText, new Error('cut')])).reply), undefined);
  });
});
