import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import type { LoggedCall } from '../../api/queries.ts';
import { AnswerBuilder, type Chat, type ChatBlock, type ChatFormat } from '../../parts/chat/chat.ts';

export interface AnswerState {
  readonly state: 'idle' | 'waiting' | 'streaming' | 'done' | 'failed';
  readonly blocks: readonly ChatBlock[];
  readonly stopReason?: string | undefined;
  readonly error?: string;
  readonly firstMs?: number;
  readonly totalMs?: number;
  readonly modules?: string | undefined;
  readonly requestId?: string | undefined;
  /** As the log has it, when the call is over. */
  readonly call?: LoggedCall;
}

const idle: AnswerState = { state: 'idle', blocks: [] };

export interface Question {
  readonly format: ChatFormat;
  readonly model: string;
  readonly chat: Chat;
  readonly pipeline: string | undefined;
  readonly credential: string;
}

/** One answer, as it streams in. */
export function useAnswer({ isLogged = true } = {}) {
  const [answer, setAnswer] = useState<AnswerState>(idle);
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  // Nobody reads on, so nobody pays on.
  useEffect(() => stop, [stop]);
  const ask = useCallback(
    async (question: Question) => {
      running.current?.abort();
      const control = new AbortController();
      running.current = control;
      const startedAt = performance.now();
      const update = (change: Partial<AnswerState>) =>
        running.current === control && setAnswer((before) => ({ ...before, ...change }));
      setAnswer({ state: 'waiting', blocks: [] });
      const { format, model, chat } = question;
      let requestId: string | undefined;
      try {
        const response = await fetch(format.path({ model, streamed: true }), {
          method: 'POST',
          signal: control.signal,
          headers: headersOf(question),
          body: JSON.stringify(format.body({ ...chat, model, streamed: true })),
        });
        requestId = response.headers.get('x-request-id') ?? undefined;
        update({ requestId, modules: response.headers.get('x-weir-modules') ?? undefined });
        if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined));
        const built = new AnswerBuilder();
        let isFirst = true;
        for await (const data of frames(response)) {
          if (data === '[DONE]') continue;
          format.read(JSON.parse(data), built);
          const { blocks, stopReason, error } = built;
          if (isFirst && blocks.length > 0) {
            isFirst = false;
            update({ firstMs: performance.now() - startedAt, state: 'streaming' });
          }
          update({ blocks, stopReason });
          if (error !== undefined) throw new Error(error);
        }
        update({ state: 'done', totalMs: performance.now() - startedAt });
      } catch (error) {
        const message = control.signal.aborted ? 'Stopped.' : messageOf(error);
        update({ state: 'failed', error: message, totalMs: performance.now() - startedAt });
      }
      const call = requestId === undefined || !isLogged ? undefined : await logged(requestId);
      if (call !== undefined) update({ call });
    },
    [isLogged],
  );
  return { answer, ask, stop };
}

/** Browsers throw a TypeError of their own words if there is no connection. */
function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'The connection to the gateway broke off.';
  return error instanceof Error ? error.message : 'The call failed.';
}

function headersOf({ pipeline, credential }: Question): Record<string, string> {
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
