import { ChevronDown, Clock, Wrench } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { DifficultyBadge } from '@/components/difficulty-badge';
import { EmptyState } from '@/components/empty-state';
import { LazyWearHint } from '@/components/drawings/lazy-drawings';
import { EmptyManual } from '@/components/result-pictures';
import { Badge } from '@/components/ui/badge';
import { Notice } from '@/components/ui/notice';
import { parseSteps, parseTools } from '@/features/parts/guides/guide-text';

type InstallationGuideProps = { part: Schemas['IdentifiedPart'] };

/** How to fit a part. */
export function InstallationGuide({ part }: InstallationGuideProps) {
  const [open, setOpen] = useState(true);
  const steps = parseSteps(part.installationInstructions);
  if (steps.length === 0) {
    return (
      <EmptyState
        picture={<EmptyManual />}
        title="No installation instructions available for this part"
      />
    );
  }
  return (
    <Collapsible.Root open={open} onOpenChange={setOpen} className="rounded-md border bg-canvas/40">
      <div className="flex flex-wrap items-center gap-2 p-3.5">
        <h4 className="font-semibold">Installation</h4>
        <DifficultyBadge level={part.difficulty} />
        <Badge>
          <Clock className="size-3" aria-hidden />
          {part.estimatedTime}
        </Badge>
        <Collapsible.Trigger className="ml-auto flex min-h-9 items-center gap-1 rounded-md px-2 text-sm font-medium text-accent hover:bg-hover">
          {open ? 'Hide' : 'Show'}
          <ChevronDown className={`size-4 ${open ? 'rotate-180' : ''}`} aria-hidden />
        </Collapsible.Trigger>
      </div>
      <Collapsible.Content className="grid gap-5 border-t p-3.5">
        {part.difficulty === 'hard' && (
          <Notice tone="bad" title="This is hard work">
            It takes experience and the right tools. Have a mechanic do it if you doubt a step.
          </Notice>
        )}
        <LazyWearHint label={part.id} name={part.name} />
        <Tools tools={parseTools(part.toolsRequired)} />
        <ol className="grid gap-3">
          {steps.map((step, position) => (
            <li key={position} className="flex gap-3 text-sm">
              <span
                aria-hidden
                className="grid size-6 shrink-0 place-items-center rounded-full bg-raised text-xs font-semibold text-accent tabular-nums"
              >
                {position + 1}
              </span>
              <span className="pt-0.5 text-soft">{step}</span>
            </li>
          ))}
        </ol>
        <Notice tone="warn" title="Safety first">
          {part.safetyReminder}
        </Notice>
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

type ToolsProps = { tools: string[] };

function Tools({ tools }: ToolsProps) {
  if (tools.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h5 className="flex items-center gap-2 text-sm font-semibold">
        <Wrench className="size-4 text-accent" aria-hidden />
        Required tools
      </h5>
      <ul className="flex flex-wrap gap-1.5">
        {tools.map((tool, position) => (
          <li key={position} className="rounded-full bg-raised px-2.5 py-0.5 text-xs text-soft">
            {tool}
          </li>
        ))}
      </ul>
    </section>
  );
}
