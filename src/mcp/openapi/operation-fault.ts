/** Why an operation can't be a tool. */
export class OperationFault extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OperationFault';
  }
}
