import type { IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { startServer } from './server.ts';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: JsonObject;
}

/** A server that takes webhook messages. Ends with its test. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = [];
  /** The status of its answers. */
  status = 204;
  headers: Readonly<Record<string, string>> = {};
  url = '';

  static async start(t: TestContext): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.url = await startServer(t, (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const json: unknown = JSON.parse(body);
        const { url: path = '', headers } = req;
        receiver.messages.push({ path, headers, body, json: isJsonObject(json) ? json : {} });
        res.writeHead(receiver.status, receiver.headers).end();
      });
    });
    return receiver;
  }
}
