import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { api, told } from '../../api/client.ts';
import { sentence } from '../states.tsx';

/** Everything that is wrong with a pipeline, as sentences; undefined until that is known. Calls no provider. */
export function usePipelineFaults(text: string): readonly string[] | undefined {
  const list = useDeferredValue(text);
  const { data } = useQuery({
    queryKey: ['pipeline', list],
    queryFn: () => told(api.GET('/v1/pipeline/check', { params: { query: { list } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return list === text ? data?.faults.map(sentence) : undefined;
}
