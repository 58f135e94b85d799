import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { gatewayPipeline } from '../../api/queries.ts';

/** Stores the pipeline of a local gateway; undefined goes back to the default. */
export function useStorePipeline() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (pipeline: string | undefined): Promise<unknown> =>
      pipeline === undefined
        ? told(api.DELETE('/v1/pipeline/gateway'))
        : told(api.PUT('/v1/pipeline/gateway', { body: { pipeline } })),
    onSuccess: () =>
      Promise.all(
        [gatewayPipeline.queryKey, ['pipeline'], ['ceilings']].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
