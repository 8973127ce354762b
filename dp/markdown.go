package dp

import "strings"

// plainMarkdown writes text so that Markdown shows it as it is: names that users choose (of mechanisms, classes, releases,
// losses) stand in what notebooks render, and must not become markup, links, TeX or HTML there.
func plainMarkdown(s string) string { return markdownEscapes.Replace(s) }

var markdownEscapes = strings.NewReplacer(
	"\r", " ", "\n", " ",
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "|", `\|`, "[", `\[`, "]", `\]`,
	"$", "`$`", // in code there is no TeX; an escaped dollar sign would still begin a formula
	"://", ":&#47;/", "www.", "www&#46;", "@", "&#64;", // no links of their own accord
)

// plainClass is the class of HTML tables whose text is not searched for TeX.
const plainClass = ` class="tex2jax_ignore mathjax_ignore"`

// texMarkdown is plainMarkdown of text that has TeX between dollar signs, which is kept.
func texMarkdown(s string) string {
	parts := strings.Split(s, "$")
	if len(parts)%2 == 0 {
		return plainMarkdown(s)
	}
	for i := 0; i < len(parts); i += 2 {
		parts[i] = plainMarkdown(parts[i])
	}
	return strings.Join(parts, "$")
}
