import { useMutation } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { checkMember, MEMBER_DRAFT } from '@/features/company/model';
import { companyMutations } from '@/features/company/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useCheckedForm } from '@/hooks/use-checked-form';

type AddMemberFormProps = { companyId: string; onClose: () => void };

const EMPTY = { userName: '', userEmail: '', role: 'member' };

export function AddMemberForm({ companyId, onClose }: AddMemberFormProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const add = useMutation({
    ...companyMutations.addMember(companyId),
    onSuccess: ({ pending, displayName, email }) => {
      toast(
        pending
          ? { title: 'Invitation sent', description: `${email} got a link, valid for 14 days.` }
          : { title: 'Team member added', description: `${displayName} is in.` },
      );
      onClose();
    },
    onError: (error) => {
      fail(error, 'Failed to add team member');
    },
  });
  const { form, bind, submit } = useCheckedForm(EMPTY, {
    check: checkMember,
    refusal: add.error,
    draftKey: MEMBER_DRAFT,
  });
  return (
    <form
      noValidate
      aria-label="Add member"
      className="grid gap-4 rounded-md border bg-canvas/40 p-4"
      onSubmit={submit(({ userName, userEmail, role }) => {
        add.mutate({ userName: userName.trim(), userEmail: userEmail.trim(), role });
      })}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Full name" autoComplete="off" required autoFocus {...bind('userName')} />
        <Field label="E-mail" type="email" autoComplete="off" required {...bind('userEmail')} />
      </div>
      <SelectField label="Role" value={form.role} onChange={bind('role').onChange}>
        <option value="member">Member</option>
        <option value="manager">Manager: also adds and removes people</option>
      </SelectField>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={add.isPending}>
          {add.isPending ? 'Adding...' : 'Add to Team'}
        </Button>
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
