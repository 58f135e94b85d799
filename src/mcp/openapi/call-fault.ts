/** Why a tool can't be called with these arguments, or what its API answered instead of a result: a text for the model. */
export class CallFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CallFault';
  }
}
