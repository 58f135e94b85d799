/** A process that can be killed at any of its steps: from then on nothing that it does has an effect. */
export class KillableProcess {
  #stepsLeft = Number.POSITIVE_INFINITY;
  #isDead = false;

  dieAfter(steps: number): void {
    this.#stepsLeft = steps;
  }

  /** Another process in its place. */
  revive(): void {
    this.#stepsLeft = Number.POSITIVE_INFINITY;
    this.#isDead = false;
  }

  /** A port whose every call is such a step. The last one is done, and nobody hears of it. */
  port<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]) => {
          if (this.#isDead) throw new Error('killed before');
          const isLast = --this.#stepsLeft < 0;
          if (isLast) this.#isDead = true;
          const answer: unknown = await method.apply(target, args);
          if (isLast) throw new Error('killed after');
          return answer;
        };
      },
    });
  }
}
