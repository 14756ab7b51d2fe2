import { useMutation } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { RoleSelect } from '@/features/plans/company/components/role-select';
import {
  memberInitials,
  removalId,
  type Company,
  type CompanyMember,
} from '@/features/plans/company/model';
import { companyMutations } from '@/features/plans/company/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatDate } from '@/lib/format';

/** The note that says who may remove people. */
export const REMOVAL_RULE_ID = 'removal-rule';

type MemberRowProps = {
  company: Company;
  member: CompanyMember;
  /** Whether the viewer may change roles. */
  manages: boolean;
  /** Whether the viewer owns the company. */
  owns: boolean;
  isSelf: boolean;
  /** Takes the focus when the row goes. */
  list: RefObject<HTMLElement | null>;
};

export function MemberRow({ company, member, manages, owns, isSelf, list }: MemberRowProps) {
  const isOwner = member.userId === company.ownerId;
  return (
    <li className="flex flex-wrap items-center gap-3 p-3">
      <MemberPicture member={member} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="text-sm font-medium wrap-anywhere">
          {member.displayName}
          {isSelf && <span className="text-muted"> (you)</span>}
        </p>
        <p className="text-xs wrap-anywhere text-muted">{member.email}</p>
        {member.pending && (
          <p className="text-xs text-muted">Invited until {formatDate(member.expiresAt)}</p>
        )}
      </div>
      {member.pending && <Badge tone="warn">pending</Badge>}
      {isOwner && <Badge tone="primary">admin</Badge>}
      {!isOwner && !(manages && member.userId !== null) && (
        <Badge tone={member.role === 'manager' ? 'good' : 'neutral'}>{member.role}</Badge>
      )}
      {!isOwner && manages && member.userId !== null && (
        <RoleSelect
          companyId={company.id}
          userId={member.userId}
          member={member}
          isSelf={isSelf}
          list={list}
        />
      )}
      {!isOwner && owns && member.userId !== null && (
        <HandOverButton
          company={company}
          userId={member.userId}
          name={member.displayName}
          list={list}
        />
      )}
      {!isOwner && (
        <RemoveButton
          companyId={company.id}
          member={member}
          allowed={manages || isSelf}
          isSelf={isSelf}
          list={list}
        />
      )}
    </li>
  );
}

type MemberPictureProps = { member: CompanyMember };

function MemberPicture({ member }: MemberPictureProps) {
  const picture = member.user?.profileImageUrl ?? null;
  if (picture !== null) {
    return <img src={picture} alt="" className="size-10 shrink-0 rounded-full object-cover" />;
  }
  return (
    <span
      aria-hidden
      className="grid size-10 shrink-0 place-items-center rounded-full bg-accent-wash text-sm font-semibold text-accent"
    >
      {memberInitials(member.displayName)}
    </span>
  );
}

type HandOverButtonProps = {
  company: Company;
  userId: string;
  name: string;
  list: RefObject<HTMLElement | null>;
};

function HandOverButton({ company, userId, name, list }: HandOverButtonProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const handOver = useMutation({
    mutationFn: companyMutations.handOver(company.id),
    onSuccess: () =>
      toast({ title: 'Company handed over', description: `${name} owns ${company.name} now.` }),
    onError: (error) => fail(error, 'Failed to hand over the company'),
  });
  return (
    <ConfirmDialog
      trigger={
        <Button size="small" disabled={handOver.isPending} aria-label={`Make ${name} the owner`}>
          Make Owner
        </Button>
      }
      title={`Make ${name} the owner?`}
      description="Their Business plan then holds for the whole company, and only they can delete it or hand it on. You stay a manager."
      confirmLabel="Make Owner"
      onConfirm={() => handOver.mutateAsync(userId)}
      focusOnConfirm={list}
    />
  );
}

type RemoveButtonProps = {
  companyId: string;
  member: CompanyMember;
  /** Whether the server lets the viewer do it. */
  allowed: boolean;
  isSelf: boolean;
  list: RefObject<HTMLElement | null>;
};

function RemoveButton({ companyId, member, allowed, isSelf, list }: RemoveButtonProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const remove = useMutation({
    mutationFn: companyMutations.removeMember(companyId),
    onSuccess: () =>
      toast(
        isSelf
          ? {
              title: 'You left the company',
              description: 'Your account and garage stay. Only you can bring yourself back.',
            }
          : {
              title: 'Team member removed',
              description: `${member.displayName} is no longer in the company.`,
            },
      ),
    onError: (error) => fail(error, 'Failed to remove team member'),
  });
  if (!allowed) {
    return (
      <Button
        size="small"
        disabled
        aria-label={`Remove ${member.displayName}`}
        aria-describedby={REMOVAL_RULE_ID}
      >
        Remove
      </Button>
    );
  }
  return (
    <ConfirmDialog
      trigger={
        <Button
          size="small"
          disabled={remove.isPending}
          aria-label={isSelf ? 'Leave the company' : `Remove ${member.displayName}`}
        >
          {isSelf ? 'Leave' : 'Remove'}
        </Button>
      }
      title={isSelf ? 'Leave the company?' : `Remove ${member.displayName}?`}
      description={
        isSelf
          ? 'You lose what its plan includes. Your account and your garage stay, and nobody can put you back without your yes.'
          : member.pending
            ? 'The invitation can no longer be accepted.'
            : 'They lose what the plan includes. Their account and garage stay.'
      }
      confirmLabel={isSelf ? 'Leave' : 'Remove'}
      onConfirm={() => remove.mutateAsync(removalId(member))}
      focusOnConfirm={list}
    />
  );
}
