import { GatewayError } from '../kernel/errors.ts';

/** A file that is not imported. Nothing of it has been. */
export function refusal(why: string, cause?: unknown): GatewayError {
  return new GatewayError(
    'import_refused',
    `the file is refused: ${why}`,
    cause === undefined ? {} : { cause },
  );
}
