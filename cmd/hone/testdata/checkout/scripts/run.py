print("no task: a checkout has other programs too")
