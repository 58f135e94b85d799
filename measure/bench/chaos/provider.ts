import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../listen.ts';
import { type Behaviour, type Fault, healthy } from './script.ts';

/** A scripted provider that speaks Chat Completions with streams. */
export interface Provider extends AsyncDisposable {
  readonly url: string;
  behaviour: Behaviour;
  /** Requests since the last reset. */
  requests: number;
}

export async function startProvider(name: string): Promise<Provider> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => respond(response));
  });
  const respond = (response: ServerResponse): void => {
    provider.requests++;
    const { faultShare, fault, firstContentMs } = provider.behaviour;
    if (Math.random() < faultShare) fail(response, fault, firstContentMs);
    else setTimeout(() => answer(response, name), firstContentMs);
  };
  const provider: Provider = {
    url: `http://127.0.0.1:${await listen(server)}/v1`,
    behaviour: healthy,
    requests: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}

function fail(response: ServerResponse, fault: Fault, firstContentMs: number): void {
  switch (fault.kind) {
    case 'status': {
      const { status, retryAfterSeconds } = fault;
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'as the script has it', type: 'server_error' } }));
      return;
    }
    case 'closed':
      response.destroy();
      return;
    case 'silence':
      return;
    case 'cut':
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(fault.afterContent ? chunk('cut', 'half') : ': waiting\n\n');
        setTimeout(() => response.destroy(), 5);
      }, firstContentMs);
  }
}

function answer(response: ServerResponse, name: string): void {
  if (response.destroyed) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk(name, name));
  response.write(chunk(name, ' done', 'stop'));
  const usage = { prompt_tokens: 400, completion_tokens: 100, total_tokens: 500 };
  response.write(`data: ${JSON.stringify({ ...common(name), choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function chunk(name: string, content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...common(name), choices })}\n\n`;
}

function common(name: string) {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: name };
}
