import { HttpRequest } from '../http/request.ts';
import { RequestBody } from '../http/request-body.ts';
import { HttpResponse, type ResponseConnection } from '../http/response.ts';
import type { HeaderList } from '../lib/headers.ts';

/** A request as of HTTP that came another way, and what becomes of the response to it. */
export abstract class CallInMemory implements ResponseConnection {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  abstract readonly needsDrain: boolean;

  constructor(path: string, headers: HeaderList, bytes: Buffer) {
    const body = new RequestBody(bytes.byteLength, arrivedAlready);
    body.push(bytes, true);
    const head = { method: 'POST', target: path, headers: [...headers], isHttp10: false };
    this.request = new HttpRequest(head, body, { remoteAddress: undefined });
    this.response = new HttpResponse(this.request, this);
  }

  abstract onHead(status: number, headers: HeaderList): void;
  abstract send(...pieces: readonly (Uint8Array | string)[]): void;
  abstract end(keepsAlive: boolean, ...pieces: readonly (Uint8Array | string)[]): void;
  /** The response breaks off. */
  abstract destroy(): void;

  buildHead(status: number, headers: HeaderList): ReturnType<ResponseConnection['buildHead']> {
    this.onHead(status, headers);
    return { text: '', framing: 'length', keepsAlive: true };
  }

  closeSoon(): void {
    this.destroy();
  }

  reset(): void {
    this.destroy();
  }

  takeSocket(): undefined {
    return undefined;
  }
}

const arrivedAlready = { pause: () => undefined, resume: () => undefined, sendContinue: () => undefined };
