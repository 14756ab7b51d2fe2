import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

/** What the database answers follows from what was asked; the document has one union for all three. */
type Kinds = {
  makes: Schemas['DatabaseMake'][];
  models: Schemas['DatabaseModel'][];
  specs: Schemas['DatabaseSpec'][];
};

type Question = { year: string; makeId?: string; modelId?: string };

function ask<Kind extends keyof Kinds>(kind: Kind, question: Question) {
  return queryOptions({
    queryKey: ['vehicle-database', kind, question],
    queryFn: async ({ signal }) => {
      const query = { carquery: kind, ...question };
      return (await bodyOf(
        client.GET('/api/suppliers', { params: { query }, signal }),
      )) as Kinds[Kind];
    },
  });
}

export const vehicleDatabaseQueries = {
  makes: (year: string) => ask('makes', { year }),
  models: (year: string, makeId: string) => ({
    ...ask('models', { year, makeId }),
    enabled: makeId !== '',
  }),
  specs: (year: string, makeId: string, modelId: string) => ({
    ...ask('specs', { year, makeId, modelId }),
    enabled: makeId !== '' && modelId !== '',
  }),
};
