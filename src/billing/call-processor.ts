import { GatewayError } from '../kernel/errors.ts';

/** Whatever goes wrong and isn't worded for callers is the processor's, or what it has to say to the operator. */
export async function callProcessor<Answer>(
  ask: () => Promise<Answer>,
  onFault: (cause: unknown) => void,
): Promise<Answer> {
  try {
    return await ask();
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
