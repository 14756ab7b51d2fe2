import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { SecretNotice } from '@/components/secret-notice';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { AddMemberForm } from '@/features/plans/company/components/add-member-form';
import { MemberRow, REMOVAL_RULE_ID } from '@/features/plans/company/components/member-row';
import {
  mayManage,
  MEMBER_DRAFT,
  type Company,
  type InvitationLink,
} from '@/features/plans/company/model';
import { companyQueries } from '@/features/plans/company/queries';
import { useHasDraft } from '@/hooks/use-draft';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { useOpener } from '@/hooks/use-opener';

type MembersCardProps = {
  company: Company;
  user: Pick<Schemas['User'], 'id'>;
  /** Whether the plan of the company has ended: the server adds nobody then. */
  hasEnded: boolean;
};

export function MembersCard({ company, user, hasEnded }: MembersCardProps) {
  const members = useQuery(companyQueries.members(company.id));
  const [adding, setAdding] = useState(useHasDraft(MEMBER_DRAFT));
  const [invited, setInvited] = useState<InvitationLink | null>(null);
  const opener = useOpener(adding);
  const list = useRef<HTMLUListElement>(null);
  // It goes with whoever leaves.
  useFocusHeir(list, (members) => members.closest('main'));
  const manages = mayManage(company, members.data ?? [], user.id);
  return (
    <SettingsCard
      title="Team Members"
      description={
        hasEnded
          ? 'Their garages stay their own.'
          : 'They have what the Business plan includes. Their garages stay their own.'
      }
      action={
        manages &&
        !hasEnded &&
        !adding && (
          <Button ref={opener} size="small" onClick={() => setAdding(true)}>
            Add Member
          </Button>
        )
      }
    >
      {adding && (
        <AddMemberForm
          companyId={company.id}
          onLink={setInvited}
          onClose={() => setAdding(false)}
        />
      )}
      {invited !== null && (
        <SecretNotice
          key={invited.link}
          what="link"
          secret={invited.link}
          onDone={() => {
            setInvited(null);
            list.current?.focus();
          }}
        >
          No mail is set up on this server: give this link to {invited.email}. Whoever has it can
          join within 14 days. It is shown only this once; for another, remove the invitation and
          add them again.
        </SecretNotice>
      )}
      <QueryState query={members} what="The members" label="Loading members" rowClassName="h-14" />
      <ul
        ref={list}
        tabIndex={-1}
        aria-label="Members"
        className="grid grid-cols-1 divide-y rounded-md border empty:hidden"
      >
        {members.data?.map((member) => (
          <MemberRow
            key={member.id}
            company={company}
            member={member}
            manages={manages}
            owns={company.ownerId === user.id}
            isSelf={member.userId === user.id}
            list={list}
          />
        ))}
      </ul>
      {members.data != null && !manages && (
        <p id={REMOVAL_RULE_ID} className="text-sm text-muted">
          Only the owner and managers can remove people.
        </p>
      )}
    </SettingsCard>
  );
}
