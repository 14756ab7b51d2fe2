import { useMutation } from '@tanstack/react-query';
import { AlertDialog } from 'radix-ui';
import { useRef, useState, type RefObject } from 'react';
import { CONTROL_CLASS } from '@/components/ui/field';
import { Question } from '@/components/ui/question';
import { useToast } from '@/components/ui/use-toast';
import type { CompanyMember } from '@/features/plans/company/model';
import { companyMutations } from '@/features/plans/company/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';

type RoleSelectProps = {
  companyId: string;
  userId: string;
  member: CompanyMember;
  isSelf: boolean;
  /** Takes the focus when this goes, with the role that shows it. */
  list: RefObject<HTMLElement | null>;
};

/** Changes the role of a member; who gives up their own is asked first. */
export function RoleSelect({ companyId, userId, member, isSelf, list }: RoleSelectProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const setRole = useMutation({
    mutationFn: companyMutations.setRole(companyId),
    // An arrow key changes the role at once: of two changes the later one must arrive last.
    scope: { id: `role-${userId}` },
    onSuccess: ({ displayName, role }) =>
      toast({ title: 'Role changed', description: `${displayName} is a ${role} now.` }),
    onError: (error) => fail(error, 'Failed to change the role'),
  });
  const [asking, setAsking] = useState(false);
  const confirmed = useRef(false);
  const select = useRef<HTMLSelectElement>(null);
  return (
    <>
      {/* Not disabled while it works: that would take the focus from it. */}
      <select
        ref={select}
        aria-label={`Role of ${member.displayName}`}
        value={setRole.isPending ? setRole.variables.role : member.role}
        onChange={({ target }) =>
          isSelf ? setAsking(true) : setRole.mutate({ userId, role: target.value })
        }
        className={`${CONTROL_CLASS} w-auto!`}
      >
        <option value="member">member</option>
        <option value="manager">manager</option>
      </select>
      {/* Only a manager sees this at their own name, so the other role is that of a member. */}
      <AlertDialog.Root open={asking} onOpenChange={setAsking}>
        <Question
          title="Give up your role as manager?"
          description="You can then no longer add or remove people or change roles. Only the owner or another manager can make you a manager again."
          confirmLabel="Become a Member"
          cancelLabel="Cancel"
          onConfirm={() => {
            confirmed.current = true;
            setRole.mutate({ userId, role: 'member' });
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            (confirmed.current ? list : select).current?.focus();
            confirmed.current = false;
          }}
        />
      </AlertDialog.Root>
    </>
  );
}
