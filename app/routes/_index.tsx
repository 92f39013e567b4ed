import { useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import * as z from "zod/mini";

const schema = z.object({ a: z.string("x").check(z.trim(), z.minLength(2, "no")) });
export function loader() {
  return { a: 1 };
}
export default function H() {
  const [form] = useForm({ onValidate: ({ formData }) => parseWithZod(formData, { schema }) });
  return <form id={form.id}>hi</form>;
}
