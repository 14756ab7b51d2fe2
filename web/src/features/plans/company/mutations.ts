import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

export const companyMutations = {
  create: () =>
    mutationOptions({
      mutationKey: ['company', 'create'],
      mutationFn: (body: Schemas['CompanyForm']) => bodyOf(client.POST('/api/company', { body })),
    }),
  update: (id: string) =>
    mutationOptions({
      mutationKey: ['company', 'update', id],
      mutationFn: (body: Schemas['CompanyForm']) =>
        bodyOf(client.PUT('/api/company/{id}', { params: { path: { id } }, body })),
    }),
  remove: (id: string) =>
    mutationOptions({
      mutationKey: ['company', 'remove', id],
      mutationFn: () => bodyOf(client.DELETE('/api/company/{id}', { params: { path: { id } } })),
    }),
  addMember: (id: string) =>
    mutationOptions({
      mutationKey: ['company', 'addMember', id],
      mutationFn: (body: Schemas['MemberForm']) =>
        bodyOf(client.POST('/api/company/{id}/members', { params: { path: { id } }, body })),
    }),
  setRole: (id: string) =>
    mutationOptions({
      mutationKey: ['company', 'setRole', id],
      mutationFn: ({ userId, role }: { userId: string; role: string }) =>
        bodyOf(
          client.PUT('/api/company/{id}/members/{userId}', {
            params: { path: { id, userId } },
            body: { role },
          }),
        ),
    }),
  handOver: (id: string) =>
    mutationOptions({
      mutationKey: ['company', 'handOver', id],
      mutationFn: (userId: string) =>
        bodyOf(
          client.PUT('/api/company/{id}/owner', { params: { path: { id } }, body: { userId } }),
        ),
    }),
  removeMember: (id: string) =>
    mutationOptions({
      mutationKey: ['company', 'removeMember', id],
      mutationFn: (userId: string) =>
        client.DELETE('/api/company/{id}/members/{userId}', { params: { path: { id, userId } } }),
    }),
  acceptInvitation: () =>
    mutationOptions({
      mutationKey: ['company', 'acceptInvitation'],
      mutationFn: (body: Schemas['InvitationName']) =>
        bodyOf(client.POST('/api/company/invitations/accept', { body })),
    }),
  declineInvitation: () =>
    mutationOptions({
      mutationKey: ['company', 'declineInvitation'],
      mutationFn: (body: Schemas['InvitationName']) =>
        client.POST('/api/company/invitations/decline', { body }),
    }),
};
