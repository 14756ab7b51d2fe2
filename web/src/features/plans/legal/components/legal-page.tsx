import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { settingsQuery } from '@/api/settings';
import { QueryState } from '@/components/query-state';
import { MailLink } from '@/components/mail-link';
import { paths } from '@/config/paths';
import { LegalDocument } from '@/features/plans/legal/components/legal-document';
import type { LegalParties, LegalSection } from '@/features/plans/legal/text';

type LegalPageProps = {
  title: string;
  date: string;
  sectionsFor: (parties: LegalParties) => LegalSection[];
  /** The other of the two texts. */
  other: { to: string; label: string };
};

/** A legal text as a page. It waits for the company that it is about: another one's is no use. */
export function LegalPage({ title, date, sectionsFor, other }: LegalPageProps) {
  const settings = useQuery(settingsQuery());
  return (
    <div className="page grid max-w-3xl gap-8">
      <title>{`Partsight - ${title}`}</title>
      <QueryState query={settings} what="This text" label={`Loading: ${title}`} rows={6} />
      {settings.data !== undefined && (
        <>
          <LegalDocument
            as="page"
            title={title}
            date={date}
            sections={sectionsFor(settings.data)}
          />
          <p className="border-t pt-5 text-sm text-muted">
            Write to <MailLink address={settings.data.supportEmail} />, use the{' '}
            <TextLink to={paths.contact}>contact form</TextLink>, or read the{' '}
            <TextLink to={other.to}>{other.label}</TextLink>.
          </p>
        </>
      )}
    </div>
  );
}

type TextLinkProps = { to: string; children: string };

function TextLink({ to, children }: TextLinkProps) {
  return (
    <Link to={to} className="font-medium text-accent underline underline-offset-4">
      {children}
    </Link>
  );
}
