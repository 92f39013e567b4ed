import type { MetaFunction } from "@remix-run/cloudflare";
import { company } from "../company";
import { HomePage } from "../home/home-page";

export const meta: MetaFunction = () => [
  { title: `${company.name}: ${company.tagline}` },
  { name: "description", content: company.description },
];

export default HomePage;
