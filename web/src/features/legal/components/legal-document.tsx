import type { LegalSection } from '@/features/legal/text';

type LegalDocumentProps = { title: string; date: string; sections: LegalSection[] };

export function LegalDocument({ title, date, sections }: LegalDocumentProps) {
  return (
    <article className="grid gap-4 text-sm text-soft">
      <header>
        <h3 className="text-base font-semibold text-ink">{title}</h3>
        <p className="text-muted">{date}</p>
      </header>
      {sections.map((section) => (
        <section key={section.title} className="grid gap-2">
          <h4 className="font-semibold text-ink">{section.title}</h4>
          {section.paragraphs.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          {section.points !== undefined && (
            <ul className="grid list-disc gap-1 pl-5">
              {section.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </article>
  );
}
