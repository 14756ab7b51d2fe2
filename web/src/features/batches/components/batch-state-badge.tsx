import type { ComponentProps } from 'react';
import { Badge } from '@/components/ui/badge';
import type { Batch } from '@/features/batches/queries';

type Tone = NonNullable<ComponentProps<typeof Badge>['tone']>;

const STATES: Record<Batch['state'], [string, Tone]> = {
  open: ['Not started', 'outline'],
  running: ['Running', 'primary'],
  done: ['Done', 'good'],
  stopped: ['Stopped', 'warn'],
  cancelled: ['Cancelled', 'neutral'],
};

/** What a batch is doing. */
export function BatchStateBadge({ state }: Pick<Batch, 'state'>) {
  const [text, tone] = STATES[state];
  return <Badge tone={tone}>{text}</Badge>;
}
