import { type Call, makeCall } from '../calls.ts';
import type { SentCall } from '../send.ts';

/** One kind of call in mixed traffic, how often it comes, and how it must end. */
export interface SoakKind {
  readonly name: string;
  readonly weight: number;
  /** The status; zero where the client leaves or the connection breaks, which it may before any answer. */
  readonly status: number;
  readonly make: (dice: Dice) => SentCall;
}

/** A number from 0 to below 1. */
export type Dice = () => number;

export interface Keys {
  readonly plain: string;
  readonly cached: string;
}

const kilobyte = 1024;
/** Different questions of one caller to the cache. All that it keeps of them must be there before the soak is half over. */
const popularQuestions = 3;
const rareQuestions = 12;

/** Traffic of all sorts, for somebody with these keys. */
export function soakKinds(keys: Keys): readonly SoakKind[] {
  const [plain, cached] = [bearer(keys.plain), bearer(keys.cached)];
  const small = makeCall({ format: 'chat', bytes: kilobyte });
  const messages = makeCall({ format: 'messages', bytes: kilobyte });
  const large = makeCall({ format: 'chat', bytes: 100 * kilobyte });
  const huge = makeCall({ format: 'chat', bytes: 1024 * kilobyte });
  const quick = streamOf(60, 0);
  const slow = streamOf(10, 40);
  const broken = makeCall({
    format: 'chat',
    bytes: kilobyte,
    wish: { kind: 'stream', events: 30, intervalMs: 5, breaks: true },
  });
  const fixed = (call: Call) => () => ({ ...call, headers: plain });
  return [
    { name: 'answered', weight: 20, status: 200, make: fixed(small) },
    { name: 'answered, Messages', weight: 10, status: 200, make: fixed(messages) },
    { name: 'streamed', weight: 15, status: 200, make: fixed(quick) },
    { name: 'streamed slowly', weight: 6, status: 200, make: fixed(slow) },
    {
      name: 'client left',
      weight: 8,
      status: 0,
      make: (dice) => ({ ...slow, headers: plain, leaveAfterMs: dice() * 350 }),
    },
    { name: 'stream broken', weight: 4, status: 0, make: fixed(broken) },
    { name: 'provider failed', weight: 2, status: 500, make: fixed(refusedWith(500)) },
    { name: 'provider limits', weight: 2, status: 429, make: fixed(refusedWith(429)) },
    {
      name: 'wrong key',
      weight: 2,
      status: 401,
      make: () => ({ ...small, headers: bearer(`${keys.plain}x`) }),
    },
    {
      name: 'not JSON',
      weight: 2,
      status: 400,
      make: () => ({ ...small, headers: plain, body: Buffer.from('{"model":') }),
    },
    {
      name: 'cache, popular',
      weight: 15,
      status: 200,
      make: (dice) => ({ ...question('popular', dice() * popularQuestions), headers: cached }),
    },
    {
      name: 'cache, rare',
      weight: 5,
      status: 200,
      make: (dice) => ({ ...question('rare', dice() * rareQuestions), headers: cached }),
    },
    { name: '100 KB', weight: 2, status: 200, make: fixed(large) },
    { name: '1 MB', weight: 1, status: 200, make: fixed(huge) },
  ];
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, 'anthropic-version': '2023-06-01' };
}

function streamOf(events: number, intervalMs: number): Call {
  const wish = { kind: 'stream', events, intervalMs, breaks: false } as const;
  return makeCall({ format: 'chat', bytes: kilobyte, wish });
}

function refusedWith(status: number): Call {
  return makeCall({ format: 'chat', bytes: kilobyte, wish: { kind: 'status', status } });
}

function question(kind: string, number: number): Call {
  return makeCall({ format: 'chat', bytes: kilobyte, mark: `${kind} ${Math.floor(number)}: ` });
}
