// Command godp is a Jupyter kernel for Go and a laboratory for differentially private machine learning.
package main

func main() {}
