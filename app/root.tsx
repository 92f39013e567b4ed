import { Outlet, Scripts } from "@remix-run/react";
export default function Root() {
  return (
    <html lang="en">
      <head>
        <title>x</title>
      </head>
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  );
}
