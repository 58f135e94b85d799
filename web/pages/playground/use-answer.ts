import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import type { LoggedCall } from '../../api/queries.ts';
import { bodyOf, type PromptRequest, pathOf, readFrame } from '../../parts/formats.ts';

export interface Answering {
  readonly state: 'idle' | 'waiting' | 'streaming' | 'done' | 'failed';
  readonly text: string;
  readonly error?: string;
  readonly firstMs?: number;
  readonly totalMs?: number;
  readonly modules?: string | undefined;
  readonly requestId?: string | undefined;
  /** As the log has it, when the call is over. */
  readonly call?: LoggedCall;
}

const idle: Answering = { state: 'idle', text: '' };

export interface PlaygroundRequest extends Omit<PromptRequest, 'streamed'> {
  readonly pipeline: string | undefined;
  readonly credential: string;
}

/** One answer, as it streams in. */
export function useAnswer({ isLogged = true } = {}) {
  const [answer, setAnswer] = useState<Answering>(idle);
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  // Nobody reads on, so nobody pays on.
  useEffect(() => stop, [stop]);
  const ask = useCallback(
    async (question: PlaygroundRequest) => {
      running.current?.abort();
      const control = new AbortController();
      running.current = control;
      const startedAt = performance.now();
      const update = (change: Partial<Answering>) =>
        running.current === control && setAnswer((before) => ({ ...before, ...change }));
      setAnswer({ state: 'waiting', text: '' });
      let requestId: string | undefined;
      try {
        const streamed = { ...question, streamed: true };
        const response = await fetch(pathOf(streamed), {
          method: 'POST',
          signal: control.signal,
          headers: headersOf(question),
          body: JSON.stringify(bodyOf(streamed)),
        });
        requestId = response.headers.get('x-request-id') ?? undefined;
        update({ requestId, modules: response.headers.get('x-weir-modules') ?? undefined });
        if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined));
        let text = '';
        for await (const data of frames(response)) {
          const read = readFrame(question.format, data);
          if (read.error !== undefined) throw new Error(read.error);
          if (read.text === '') continue;
          if (text === '') update({ firstMs: performance.now() - startedAt, state: 'streaming' });
          text += read.text;
          update({ text });
        }
        update({ state: 'done', totalMs: performance.now() - startedAt });
      } catch (error) {
        const message = control.signal.aborted
          ? 'Stopped.'
          : error instanceof Error
            ? error.message
            : 'The call failed.';
        update({ state: 'failed', error: message, totalMs: performance.now() - startedAt });
      }
      const call = requestId === undefined || !isLogged ? undefined : await logged(requestId);
      if (call !== undefined) update({ call });
    },
    [isLogged],
  );
  return { answer, ask, stop };
}

function headersOf({ pipeline, credential }: PlaygroundRequest): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(credential !== '' && { authorization: `Bearer ${credential}` }),
    ...(pipeline !== undefined && { 'x-weir-pipeline': pipeline === '' ? 'none' : pipeline }),
  };
}

/** The data of each server-sent event. */
async function* frames(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
  }
}

/** The log has a call soon after its end. */
async function logged(id: string): Promise<LoggedCall | undefined> {
  for (let tries = 0; tries < 5; tries++) {
    try {
      return await told(api.GET('/v1/requests/{id}', { params: { path: { id } } }));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
  return undefined;
}
