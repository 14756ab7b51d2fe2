import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const recallQueries = {
  /** What NHTSA lists of a vehicle; the server asks for it once a week at most. */
  vehicle: (id: string) =>
    readQuery(['vehicles', 'recalls', { id }], (signal) =>
      client.GET('/api/vehicles/{id}/recalls', { params: { path: { id } }, signal }),
    ),
};
