/** Why a list cannot be sent, and the field that it is about; null where it is about no single one. */
export type ListFault<Name extends string> = { message: string; field: Name | 'file' | null };
