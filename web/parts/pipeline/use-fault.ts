import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { ApiError } from '../../api/client.ts';

/** What the gateway says to such a pipeline; undefined where it can run it. Calls no provider. */
export function usePipelineFault(text: string, credential?: string): string | undefined {
  const asked = useDeferredValue(text);
  const { data } = useQuery({
    queryKey: ['pipeline', asked, credential],
    queryFn: async () => {
      const answer = await fetch('/v1/pipeline', {
        headers: {
          'x-weir-pipeline': asked === '' ? 'none' : asked,
          ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        },
      });
      return answer.status === 400 ? new ApiError(400, await answer.json()).message : '';
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data === '' ? undefined : data;
}
