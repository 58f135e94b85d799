/** What an import does with a row. */
export type RowOutcome =
  | { readonly what: 'added' | 'unchanged' }
  /** Another row has its name: it is replaced only if the caller wants that. */
  | { readonly what: 'conflict' | 'replaced'; readonly name: string }
  /** It can't be imported anywhere, for a reason that is not in the row. */
  | { readonly what: 'left'; readonly reason: string }
  | { readonly what: 'refused'; readonly reason: string; readonly name: string };
