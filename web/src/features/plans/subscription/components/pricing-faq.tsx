import { ChevronDown } from 'lucide-react';

const QUESTIONS = [
  [
    'What counts as a scan?',
    'A scan counts when it returns an answer. A photograph that shows no known part, an answer that is less than a third sure, a cancelled scan and an error do not count.',
  ],
  [
    'How much of my history can I see on the free plan?',
    'Free accounts can view only the last 5 scans. All scans are kept: with Pro or Business the whole history is there again.',
  ],
  [
    'Does clearing my history give scans back?',
    'No. The 2 scans of the Basic plan are for the lifetime of the account.',
  ],
  [
    'What do I save by paying for a year?',
    'Two months: a year costs ten times the monthly price, which is 17% less.',
  ],
  [
    'Can I cancel at any time?',
    'Yes. Ask for it under Manage Subscription; it is processed within 24 hours, and you keep your plan until the end of the period that you paid for.',
  ],
  [
    'Who sees my card number?',
    'Only the payment provider. It goes there straight from your browser and never reaches this server.',
  ],
  [
    'What is Business for?',
    'For shops with more than one person: a company profile with members, your own suppliers, and keys for programs.',
  ],
] as const;

export function PricingFaq() {
  return (
    <section aria-labelledby="faq" className="grid gap-4">
      <h2 id="faq" className="text-xl font-semibold tracking-tight">
        Frequently Asked Questions
      </h2>
      <div className="grid divide-y overflow-hidden rounded-lg border bg-surface">
        {QUESTIONS.map(([question, answer]) => (
          <details key={question} className="group">
            <summary className="flex min-h-12 cursor-pointer list-none items-center justify-between gap-3 px-4 py-3 font-medium hover:bg-hover [&::-webkit-details-marker]:hidden">
              {question}
              <ChevronDown
                className="size-4 shrink-0 text-muted transition-transform group-open:rotate-180"
                aria-hidden
              />
            </summary>
            <p className="px-4 pb-4 text-sm text-soft">{answer}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
