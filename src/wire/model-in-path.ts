import { GatewayError } from '../kernel/errors.ts';

/** Decodes a model name in a path; rejects control characters, as in `gpt%0d%0a`. */
export function checkModelInPath(name: string): string {
  if (!/\p{Cc}/u.test(name)) return name;
  throw new GatewayError('invalid_request', 'the model name in the path contains control characters', {
    param: 'model',
  });
}
