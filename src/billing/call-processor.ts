import { GatewayError } from '../kernel/errors.ts';

/** Turns errors that are not GatewayErrors into `processor_failed`; their details are for the operator only. */
export async function callProcessor<Answer>(
  request: () => Promise<Answer>,
  onFault: (cause: unknown) => void,
): Promise<Answer> {
  try {
    return await request();
  } catch (cause) {
    if (GatewayError.is(cause)) throw cause;
    onFault(cause);
    throw new GatewayError(
      'processor_failed',
      'the payment processor request failed; try again in a moment',
      {
        cause,
      },
    );
  }
}
