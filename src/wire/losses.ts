/** Gathers, while a request is read, what the canonical shape has no place for: by field, or by where it stood. */
export interface Losses {
  readonly optional: Record<string, unknown>;
  readonly essential: Record<string, unknown>;
}
