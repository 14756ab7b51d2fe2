import type { ComponentProps } from 'react';
import { Badge } from '@/components/ui/badge';
import type { Evaluation } from '@/features/evaluations/queries';

type Tone = NonNullable<ComponentProps<typeof Badge>['tone']>;

const STATES: Record<Evaluation['state'], [string, Tone]> = {
  receiving: ['Arriving', 'outline'],
  waiting: ['Waiting', 'outline'],
  running: ['Running', 'primary'],
  done: ['Done', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', 'neutral'],
};

/** How far an evaluation is. */
export function EvaluationStateBadge({ state }: Pick<Evaluation, 'state'>) {
  const [text, tone] = STATES[state];
  return <Badge tone={tone}>{text}</Badge>;
}
