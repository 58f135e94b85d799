import { agentCall } from './agent-turns.ts';
import { type Call, embeddingCall, type Format, makeCall } from './calls.ts';
import { moduleSubjects, type SubjectName } from './subjects.ts';

/** One kind of call that is measured, and who is measured with it. */
export interface Row {
  readonly name: string;
  /** For the chart. */
  readonly title: string;
  readonly format: Format;
  readonly call: Call;
  /** What is sent instead where no two calls are the same: the call at a place, in a session of this name. */
  readonly callAt?: (session: string, place: number) => Call;
  /** What is sent instead where latency is measured: a burst of events would show how processes share the cores. */
  readonly calmCall?: Call;
  /** What the others are compared with, and the latency of what is taken off theirs. */
  readonly baseline: 'bare' | 'hello' | 'weir, key' | 'weir, none';
  readonly subjects: readonly SubjectName[];
  /** How many calls are under way where CPU time is measured: enough to keep a process of one thread busy. */
  readonly floodConcurrency: number;
  /** How many calls a second are made where latency is measured: few enough for the slowest subject. */
  readonly calmPerSecond: number;
  /** How many streams are open at once, where that is what is measured. */
  readonly heldStreams?: number;
  /** Whether the time to the first token is told. */
  readonly streamed: boolean;
  /** Whether parsing the body once is measured beside it. */
  readonly parsed: boolean;
  /** Measured only when it is named. */
  readonly onlyNamed: boolean;
}

const kilobyte = 1024;
const plain = {
  baseline: 'bare',
  floodConcurrency: 16,
  streamed: false,
  parsed: false,
  onlyNamed: false,
} as const;
const agent = {
  format: 'messages',
  call: agentCall(200_000, '', 0),
  baseline: 'weir, none',
  subjects: ['weir, none', ...moduleSubjects],
  // One agent waits for each answer.
  floodConcurrency: 1,
  calmPerSecond: 4,
} as const;
const withKey = ['bare', 'weir, key', 'portkey'] as const;

export const rows: readonly Row[] = [
  {
    ...plain,
    name: 'relay-1kb',
    title: '1 KB request',
    format: 'chat',
    call: makeCall({ format: 'chat', bytes: kilobyte }),
    subjects: ['bare', 'weir, none', 'weir, default', 'weir, key', 'portkey'],
    calmPerSecond: 200,
  },
  {
    ...plain,
    name: 'cache-hit',
    title: 'cache hit',
    format: 'chat',
    call: makeCall({ format: 'chat', bytes: kilobyte }),
    baseline: 'hello',
    subjects: ['hello', 'weir, cached', 'weir, key, cached'],
    calmPerSecond: 200,
  },
  {
    ...plain,
    name: 'relay-100kb',
    title: '100 KB request',
    format: 'chat',
    call: makeCall({ format: 'chat', bytes: 100 * kilobyte }),
    subjects: withKey,
    calmPerSecond: 60,
    parsed: true,
  },
  {
    ...plain,
    name: 'relay-1mb',
    title: '1 MB request',
    format: 'chat',
    call: makeCall({ format: 'chat', bytes: 1024 * kilobyte }),
    subjects: withKey,
    // Sixteen of these would mostly measure how long sixteen megabytes wait.
    floodConcurrency: 4,
    calmPerSecond: 8,
    parsed: true,
  },
  {
    ...plain,
    name: 'stream-500',
    title: 'stream of 500 events',
    format: 'chat',
    call: streamCall('chat', 500),
    calmCall: streamCall('chat', 10, 10),
    subjects: withKey,
    calmPerSecond: 30,
    streamed: true,
  },
  {
    ...plain,
    name: 'open-1000',
    title: '1,000 open streams, an event',
    format: 'chat',
    // More events than anybody waits for.
    call: streamCall('chat', 10_000, 500),
    subjects: withKey,
    calmPerSecond: 0,
    heldStreams: 1000,
  },
  {
    ...plain,
    name: 'embeddings-1kb',
    title: 'embedding of 1 KB',
    format: 'chat',
    call: embeddingCall(kilobyte),
    subjects: ['bare', 'weir, none', 'weir, key'],
    calmPerSecond: 200,
  },
  {
    ...plain,
    name: 'accounts-10000',
    title: '1 KB request, 10,000 accounts in turn',
    format: 'chat',
    call: makeCall({ format: 'chat', bytes: kilobyte }),
    baseline: 'weir, key',
    subjects: ['weir, key', 'weir, accounts'],
    calmPerSecond: 200,
  },
  {
    ...plain,
    ...agent,
    name: 'agent-200k',
    title: 'later turn of an agent, 200,000 tokens',
    callAt: (session, place) => agentCall(200_000, session, place),
  },
  {
    ...plain,
    ...agent,
    name: 'agent-200k-first',
    title: 'first turn of an agent, 200,000 tokens',
    callAt: (session, place) => agentCall(200_000, `${session} ${place}`, 0),
    onlyNamed: true,
  },
  {
    ...plain,
    name: 'messages-1kb',
    title: '1 KB request, Messages',
    format: 'messages',
    call: makeCall({ format: 'messages', bytes: kilobyte }),
    subjects: withKey,
    calmPerSecond: 200,
    onlyNamed: true,
  },
  {
    ...plain,
    name: 'messages-stream-500',
    title: 'stream of 500 events, Messages',
    format: 'messages',
    call: streamCall('messages', 500),
    calmCall: streamCall('messages', 10, 10),
    subjects: withKey,
    calmPerSecond: 30,
    streamed: true,
    onlyNamed: true,
  },
];

export function rowNamed(name: string): Row {
  const row = rows.find((candidate) => candidate.name === name);
  if (row === undefined) {
    throw new Error(`there is no row "${name}"; the rows are ${rows.map((known) => known.name).join(', ')}`);
  }
  return row;
}

function streamCall(format: Format, events: number, intervalMs = 0): Call {
  return makeCall({ format, bytes: kilobyte, wish: { kind: 'stream', events, intervalMs, breaks: false } });
}
