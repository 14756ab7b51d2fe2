import { History, Infinity as Unlimited } from 'lucide-react';
import { Card } from '@/components/ui/card';

const REASONS = [
  {
    Icon: Unlimited,
    title: 'Unlimited Scans',
    text: 'Photograph every part of the job, and photograph it again from a better angle. Nothing is counted.',
  },
  {
    Icon: History,
    title: 'Full History Access',
    text: 'Search all that you ever scanned, by vehicle and by category. Basic shows the last 5 scans.',
  },
];

export function WhyUpgrade() {
  return (
    <section aria-labelledby="why-upgrade" className="grid gap-4">
      <h2 id="why-upgrade" className="text-xl font-semibold tracking-tight">
        Why Upgrade to Pro?
      </h2>
      <ul className="grid gap-4 sm:grid-cols-2">
        {REASONS.map(({ Icon, title, text }) => (
          <li key={title}>
            <Card className="flex h-full gap-4">
              <span className="grid size-10 shrink-0 place-items-center rounded-full bg-accent-wash text-accent">
                <Icon className="size-5" aria-hidden />
              </span>
              <div>
                <h3 className="section-title">{title}</h3>
                <p className="mt-1 text-sm text-soft">{text}</p>
              </div>
            </Card>
          </li>
        ))}
      </ul>
    </section>
  );
}
