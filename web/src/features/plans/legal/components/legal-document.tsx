import type { LegalSection } from '@/features/plans/legal/text';

type LegalDocumentProps = {
  title: string;
  date: string;
  sections: LegalSection[];
  /** A page of its own is headed by its title; in the dialog the title is one of several. */
  as?: 'page' | 'part';
};

export function LegalDocument({ title, date, sections, as = 'part' }: LegalDocumentProps) {
  const page = as === 'page';
  const Title = page ? 'h1' : 'h3';
  const SectionTitle = page ? 'h2' : 'h4';
  return (
    <article className={page ? 'grid gap-7 text-soft' : 'grid gap-4 text-sm text-soft'}>
      <header className={page ? 'grid gap-1 border-b pb-5' : undefined}>
        <Title className={page ? 'page-title text-ink' : 'text-base font-semibold text-ink'}>
          {title}
        </Title>
        <p className="text-muted">{date}</p>
      </header>
      {sections.map((section) => (
        <section key={section.title} className="grid gap-2">
          <SectionTitle
            className={page ? 'text-lg font-semibold text-ink' : 'font-semibold text-ink'}
          >
            {section.title}
          </SectionTitle>
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
