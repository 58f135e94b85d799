import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { api, told } from '../../api/client.ts';

/** What the gateway says to such a pipeline; undefined where it can run it. Calls no provider. */
export function usePipelineFault(text: string): string | undefined {
  const list = useDeferredValue(text);
  const { data } = useQuery({
    queryKey: ['pipeline', list],
    queryFn: () => told(api.GET('/v1/pipeline/check', { params: { query: { list } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.fault ?? undefined;
}
