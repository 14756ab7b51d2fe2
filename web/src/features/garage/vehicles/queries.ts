import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, read } from '@/api/client';
import { bodyQuery, readQuery } from '@/api/read-query';

/** Most records that one read answers with; a count up to here is exact. */
export const COUNTED_RECORDS = 200;

export const vehicleQueries = {
  /** All saved vehicles, the default first; null for a visitor. */
  list: () => readQuery(['vehicles', 'list'], (signal) => client.GET('/api/vehicles', { signal })),
  /** The default vehicle, or null while there is none. */
  default: () =>
    readQuery(['vehicles', 'default'], (signal) => client.GET('/api/vehicles/default', { signal })),
  /** How many records would go with a vehicle. */
  records: (vehicleId: string) =>
    queryOptions({
      queryKey: ['vehicles', 'records', { vehicleId }],
      queryFn: async ({ signal }) => {
        const params = { query: { vehicleId, limit: COUNTED_RECORDS } };
        const [oilChanges, repairs] = await Promise.all([
          read(client.GET('/api/oil-changes', { params, signal })),
          read(client.GET('/api/repair-history', { params, signal })),
        ]);
        return { oilChanges: oilChanges?.length ?? 0, repairs: repairs?.length ?? 0 };
      },
    }),
};

/** Names to choose from. None is needed: what is not listed can be typed. */
export const referenceQueries = {
  makes: () =>
    queryOptions({
      queryKey: ['vehicles', 'makes'],
      queryFn: ({ signal }) => bodyOf(client.GET('/api/vehicles/makes', { signal })),
      select: namesOf,
    }),
  models: (makeId: string) =>
    queryOptions({
      queryKey: ['vehicles', 'models', { makeId }],
      queryFn: ({ signal }) =>
        bodyOf(
          client.GET('/api/vehicles/models/{makeId}', { params: { path: { makeId } }, signal }),
        ),
      select: namesOf,
      enabled: makeId !== '',
    }),
  /** All years, or those in which a model was sold. */
  years: (makeId: string, modelId: string) =>
    queryOptions({
      queryKey: ['vehicles', 'years', { makeId, modelId }],
      queryFn: ({ signal }) =>
        bodyOf(
          client.GET('/api/vehicles/years', {
            params: { query: makeId !== '' && modelId !== '' ? { makeId, modelId } : {} },
            signal,
          }),
        ),
      select: namesOf,
    }),
  engines: (makeId: string, modelId: string, year: string) =>
    queryOptions({
      queryKey: ['vehicles', 'engines', { makeId, modelId, year }],
      queryFn: ({ signal }) =>
        bodyOf(
          client.GET('/api/vehicles/engines/{makeId}/{modelId}/{year}', {
            params: { path: { makeId, modelId, year: Number(year) } },
            signal,
          }),
        ),
      select: namesOf,
      enabled: makeId !== '' && modelId !== '' && /^\d{4}$/.test(year),
    }),
  /** What a decoder elsewhere says of a VIN, which leaves the server for it. */
  askedVin: (vin: string) =>
    queryOptions({
      queryKey: ['vehicles', 'askedVin', { vin }],
      queryFn: ({ signal }) =>
        bodyOf(
          client.GET('/api/vehicles/vin/{vin}/decoder', { params: { path: { vin } }, signal }),
        ),
      // Each question goes out of the house: it is asked on request, and not again by itself.
      enabled: false,
      staleTime: Infinity,
    }),
  vin: (vin: string) =>
    bodyQuery(['vehicles', 'vin', { vin }], (signal) =>
      client.GET('/api/vehicles/vin/{vin}', { params: { path: { vin } }, signal }),
    ),
};

function namesOf(items: { name: string }[]): string[] {
  return [...new Set(items.map(({ name }) => name))];
}
