import { type ReactNode, useState } from 'react';

interface TogetherProps {
  readonly of: readonly { readonly data: unknown; readonly error: unknown }[];
  readonly loading: ReactNode;
  readonly children: ReactNode;
}

/** Appears once all of its queries have an answer or an error, so that nothing on the page moves when the last one comes. */
export function Together({ of: queries, loading, children }: TogetherProps) {
  const isComplete = queries.every(({ data, error }) => data !== undefined || error !== null);
  const [wasComplete, setWasComplete] = useState(isComplete);
  if (isComplete && !wasComplete) setWasComplete(true);
  return isComplete || wasComplete ? children : loading;
}
