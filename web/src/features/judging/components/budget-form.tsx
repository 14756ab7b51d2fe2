import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { budgetFormOf, budgetSchema } from '@/features/judging/model';
import { judgeMutations } from '@/features/judging/mutations';
import { judgeQuery } from '@/features/judging/queries';
import { useForm } from '@/hooks/use-form';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatMicroDollars } from '@/lib/format';

type BudgetFormProps = { judge: Schemas['Judge'] };

/** How much of what the server allows the shop wants to spend. */
export function BudgetForm({ judge }: BudgetFormProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const queryClient = useQueryClient();
  const saved = budgetFormOf(judge);
  const save = useMutation({
    mutationFn: judgeMutations.budget,
    onSuccess: (answer) => {
      queryClient.setQueryData(judgeQuery().queryKey, answer);
      form.reset(budgetFormOf(answer));
      toast({
        title: 'Budget saved',
        description: 'Once it is spent, scans are answered by the model alone.',
      });
    },
    onError: (error) => {
      if (!form.refuse(error)) {
        fail(error, 'The budget could not be saved. Please try again.');
      }
    },
  });
  const form = useForm({
    schema: budgetSchema(judge, saved),
    initial: saved,
    draftKey: 'draft.judge-budget',
  });
  const idle = save.isPending || !form.isChanged;
  const hint = ({ mostMicroDollars }: Schemas['JudgeBudget']) =>
    `Empty for all that this server allows: ${formatMicroDollars(mostMicroDollars)}.`;
  return (
    <form
      noValidate
      aria-label="Budget of the second opinion"
      className="grid gap-4"
      onSubmit={form.submit((changes) => {
        if (!idle) save.mutate(changes);
      })}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Limit per day, in dollars"
          inputMode="decimal"
          autoComplete="off"
          hint={hint(judge.today)}
          {...form.bindWithError('dayMicroDollars')}
        />
        <Field
          label="Limit per month, in dollars"
          inputMode="decimal"
          autoComplete="off"
          hint={hint(judge.thisMonth)}
          {...form.bindWithError('monthMicroDollars')}
        />
      </div>
      {/* Disabled outright, it would lose the focus at the moment that it is pressed. */}
      <Button type="submit" className="justify-self-start" aria-disabled={idle}>
        {save.isPending ? 'Saving...' : 'Save Budget'}
      </Button>
    </form>
  );
}
