/** An error that an MCP server reported as the response to a request. It is passed on to the client. */
export class RpcError extends Error {
  readonly server: string;
  readonly code: number;
  readonly data: unknown;

  constructor(server: string, { code, message, data }: RpcErrorParts) {
    super(message);
    this.name = 'RpcError';
    this.server = server;
    this.code = code;
    this.data = data;
  }
}

export interface RpcErrorParts {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}
