import { client, type Schemas } from '@/api/client';
import { bodyQuery } from '@/api/read-query';
import { hasEnded } from '@/features/evaluations/model';

export type Evaluation = Schemas['Evaluation'];
export type Report = Schemas['EvaluationReport'];
export type Drift = Schemas['Drift'];
export type ScoreShift = Schemas['ScoreShift'];

/** How often one is read while it is under way. */
const PROGRESS_MS = 1500;

export const evaluationQueries = {
  /** All of the shop, read again and again while one is under way. */
  list: () => ({
    ...bodyQuery(['evaluations', 'list'], (signal) => client.GET('/api/evaluations', { signal })),
    refetchInterval: ({ state }: { state: { data?: Evaluation[] | undefined } }) =>
      state.data?.some((one) => !hasEnded(one)) === true ? PROGRESS_MS : false,
  }),
  /** One with its figures. */
  one: (id: string) => ({
    ...bodyQuery(['evaluations', 'one', { id }], (signal) =>
      client.GET('/api/evaluations/{id}', { params: { path: { id } }, signal }),
    ),
    refetchInterval: ({ state }: { state: { data?: Evaluation | undefined } }) =>
      state.data !== undefined && !hasEnded(state.data) ? PROGRESS_MS : false,
  }),
  /** What changed to one from another. */
  comparison: (id: string, other: string) =>
    bodyQuery(['evaluations', 'comparison', { id, other }], (signal) =>
      client.GET('/api/evaluations/{id}/comparison', {
        params: { path: { id }, query: { with: other } },
        signal,
      }),
    ),
};

/** Whether the scans of the last days are like what the confidence was fitted on. */
export const driftQuery = () =>
  bodyQuery(['evaluations', 'drift'], (signal) => client.GET('/api/drift', { signal }));

/** A file of a report, such as its page or a small picture. */
export const fileHref = (id: string, name: string) =>
  `/api/evaluations/${encodeURIComponent(id)}/files/${encodeURIComponent(name)}`;
