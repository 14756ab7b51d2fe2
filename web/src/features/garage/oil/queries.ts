import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';
import { readQuery } from '@/api/read-query';
import { OIL_SPECS_FRESHNESS } from '@/api/query-client';

export const oilQueries = {
  /** Which oil a vehicle takes; the owner's own values count first. */
  specs: ({ id, make, model, year, engine }: Schemas['Vehicle']) =>
    queryOptions({
      queryKey: ['oil', 'specs', { id, make, model, year, engine }],
      queryFn: ({ signal }) => {
        const query = { vehicleId: id };
        return engine === null
          ? bodyOf(
              client.GET('/api/vehicles/ai/oil-specs/{make}/{model}/{year}', {
                params: { path: { make, model, year }, query },
                signal,
              }),
            )
          : bodyOf(
              client.GET('/api/vehicles/ai/oil-specs/{make}/{model}/{year}/{engine}', {
                params: { path: { make, model, year, engine }, query },
                signal,
              }),
            );
      },
      ...OIL_SPECS_FRESHNESS,
    }),
  /** What the owner entered for a vehicle, or null without any. */
  own: (vehicleId: string) =>
    readQuery(['oil', 'own', { vehicleId }], (signal) =>
      client.GET('/api/vehicles/{id}/oil', { params: { path: { id: vehicleId } }, signal }),
    ),
};
